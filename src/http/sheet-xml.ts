// Sheets of a spreadsheet (ECMA-376) as XML. Each cell says the kind of its value; none is a formula.
import { type SheetCell, sheetCell } from '../fields/index.ts';
import type { TableColumn, TablePart, TablePrinter } from './table.ts';

/** The most rows of a sheet, and the most characters (UTF-16) of a cell. */
export const maxSheetRows = 1_048_576;
export const maxCellLength = 32_767;

/** The styles of cells, by their place in `cellStyles`. */
const style = { header: 1, date: 2, time: 3, quoted: 4, text: 5 } as const;

const namespace = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';

/** The beginning of a file of XML. */
export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

const fonts =
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>';
const fills =
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>';
const borders = '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>';
const formats =
  '<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>';

/** @param more attributes by which it is not the plain style */
const cellStyle = (more: string) => `<xf fillId="0" borderId="0" xfId="0" ${more}/>`;

const cellStyles = [
  cellStyle('numFmtId="0" fontId="0"'),
  cellStyle('numFmtId="0" fontId="1" applyFont="1"'),
  cellStyle('numFmtId="164" fontId="0" applyNumberFormat="1"'),
  cellStyle('numFmtId="165" fontId="0" applyNumberFormat="1"'),
  // A text that begins as a formula does stays a text when somebody edits it.
  cellStyle('numFmtId="0" fontId="0" quotePrefix="1"'),
  // What is typed in stays as it is: 00123 is no number.
  cellStyle('numFmtId="49" fontId="0" applyNumberFormat="1"'),
];

/** The file of the styles. */
export const styles = `${xmlDeclaration}<styleSheet ${namespace}>${formats}${fonts}${fills}${borders}<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${cellStyles.length}">${cellStyles.join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

/** The widths of columns, in characters: a date that does not fit is shown as a row of #. */
const widths: Readonly<Record<string, number>> = { Date: 12, DateTime: 20, Int: 12, Float: 14, Boolean: 10 };
const textWidth = 24;

/**
 * Matches what XML text has to escape. XML has no notation for most control characters, which spreadsheets write as
 * `_x0001_`, so that what looks like one is escaped too.
 */
const special = /[&<>\r\uFFFE\uFFFF]|(?![\t\n])\p{Cc}|_(?=x[\dA-Fa-f]{4}_)/gu;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(
      special,
      (found) => entities[found] ?? `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    );

/** A text that fits into a cell. One that is cut says so at its end, and has no half of a character. */
function fitCell(text: string): string {
  if (text.length <= maxCellLength) return text;
  const cut = text.slice(0, maxCellLength - 1);
  return `${cut.isWellFormed() ? cut : cut.replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Matches what spreadsheets read as the beginning of a formula when a cell is edited. */
const formulaStart = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

const inlineText = (text: string, attributes: string): string =>
  `<c ${attributes} t="inlineStr"><is><t xml:space="preserve">${escapeXml(fitCell(text))}</t></is></c>`;

/** @param at where the cell is, such as `B7` */
function cellXml(cell: SheetCell, at: string): string {
  const place = `r="${at}"`;
  if ('text' in cell)
    return inlineText(cell.text, formulaStart.test(cell.text) ? `${place} s="${style.quoted}"` : place);
  if ('number' in cell) return `<c ${place}><v>${cell.number}</v></c>`;
  if ('boolean' in cell) return `<c ${place} t="b"><v>${cell.boolean ? 1 : 0}</v></c>`;
  return 'date' in cell
    ? `<c ${place} s="${style.date}"><v>${cell.date}</v></c>`
    : `<c ${place} s="${style.time}"><v>${cell.time}</v></c>`;
}

/** The letters of a column: 0 is A, and 26 is AA. */
const lettersOf = (column: number): string =>
  (column < 26 ? '' : lettersOf(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26));

/** @param styleOf the style of the cells of a column that have none of their own */
function sheetStart(columns: readonly TableColumn[], styleOf?: (column: TableColumn) => number): string {
  const cols = columns.map((column, n) => {
    const styled = styleOf ? ` style="${styleOf(column)}"` : '';
    const width = widths[column.type?.name ?? ''] ?? textWidth;
    return `<col min="${n + 1}" max="${n + 1}" width="${width}"${styled} customWidth="1"/>`;
  });
  const names = columns.map(({ name }, n) => inlineText(name, `r="${lettersOf(n)}1" s="${style.header}"`)).join('');
  return `${xmlDeclaration}<worksheet ${namespace}><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${cols.join('')}</cols><sheetData><row r="1">${names}</row>`;
}

/** The styles of the cells of types that are no text. */
const typeStyles: Readonly<Record<string, number>> = {
  Date: style.date,
  DateTime: style.time,
  Int: 0,
  Float: 0,
  Boolean: 0,
};

/** The most characters of a list of choices, as spreadsheets read it. */
const maxChoices = 255;

/** Prints a sheet to fill in: columns have the formats of their types, and those of choices a list of them. */
export async function* printTemplate(columns: readonly TableColumn[]): AsyncGenerator<TablePart> {
  const lists = columns.flatMap(({ type }, n) => {
    const choices = Object.values(type?.words ?? {}).join(',');
    if (choices === '' || choices.length > maxChoices) return [];
    const cells = `${lettersOf(n)}2:${lettersOf(n)}${maxSheetRows}`;
    return [
      `<dataValidation type="list" allowBlank="1" sqref="${cells}"><formula1>"${escapeXml(choices)}"</formula1></dataValidation>`,
    ];
  });
  const start = sheetStart(columns, ({ type }) => typeStyles[type?.name ?? ''] ?? style.text);
  const validations =
    lists.length === 0 ? '' : `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>`;
  yield { sheet: 1, text: `${start}</sheetData>${validations}</worksheet>` };
}

/**
 * Creates the printer of a table as sheets, each with a row of names. A further one begins where a sheet is full.
 *
 * @param timeZone in which times are shown
 * @param maxRows the rows of a sheet
 */
export function sheetPrinter(
  columns: readonly TableColumn[],
  timeZone: string,
  maxRows: number = maxSheetRows,
): TablePrinter {
  const letters = columns.map((_, column) => lettersOf(column));
  const startXml = sheetStart(columns);
  const endXml = '</sheetData></worksheet>';
  let sheet = 1;
  let row = 1;

  const rowXml = (cells: readonly unknown[]) => {
    let xml = `<row r="${row}">`;
    for (const [n, shown] of cells.entries()) {
      const cell = sheetCell(shown, columns[n]?.type, timeZone);
      if (cell) xml += cellXml(cell, `${letters[n]}${row}`);
    }
    return `${xml}</row>`;
  };

  return {
    start: () => ({ sheet, text: startXml }),
    print(rows) {
      const parts: TablePart[] = [];
      let text = '';
      for (const cells of rows) {
        if (row === maxRows) {
          parts.push({ sheet, text: text + endXml });
          sheet += 1;
          row = 1;
          text = startXml;
        }
        row += 1;
        text += rowXml(cells);
      }
      return [...parts, { sheet, text }];
    },
    end: () => ({ sheet, text: endXml }),
  };
}
