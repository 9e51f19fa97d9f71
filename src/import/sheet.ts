import { type Cell, type FileRow, maxColumns, maxRowLength, refuseFile } from './table.ts';
import { type Attributes, readXml } from './xml.ts';

/** What the cells of sheets refer to. */
export interface Workbook {
  readonly shared: readonly string[];
  /** Whether numbers are dates, by the number of their style. */
  readonly dateStyles: readonly boolean[];
  /** How many days are added to dates: some workbooks count them from 1904. */
  readonly dayShift: number;
}

/** What is wrong with a formula. */
const isFormula = 'is a formula: paste its value instead';

/** Reads the rows of a sheet, in order. */
export async function* readSheet(parts: AsyncIterable<string>, workbook: Workbook): AsyncGenerator<FileRow> {
  const rows: FileRow[] = [];
  const reader = new SheetReader(workbook, (row) => rows.push(row));
  const content = readXml(parts, reader);
  while (!(await content.next()).done) yield* rows.splice(0);
  yield* rows;
}

/** Makes rows of the elements of a sheet. */
class SheetReader {
  private line = 0;
  private cells: Cell[] = [];
  private length = 0;
  private column = 0;
  private attributes: Attributes = {};
  private value = '';
  private isInCell = false;
  private isValue = false;
  private hasFormula = false;
  private isPhonetic = false;

  constructor(
    private readonly workbook: Workbook,
    private readonly emit: (row: FileRow) => void,
  ) {}

  readonly open = (name: string, attributes: Attributes): void => {
    if (name === 'row') {
      this.line = Number(attributes['r'] ?? this.line + 1);
      [this.cells, this.length, this.column] = [[], 0, 0];
    } else if (name === 'c') {
      this.column = attributes['r'] === undefined ? this.column + 1 : columnOf(attributes['r']);
      [this.attributes, this.value, this.hasFormula, this.isInCell] = [attributes, '', false, true];
    } else if (name === 'f') this.hasFormula = true;
    else if (name === 'rPh') this.isPhonetic = true;
    this.isValue = this.isInCell && !this.isPhonetic && (name === 'v' || name === 't');
  };

  readonly text = (found: string): void => {
    if (!this.isValue) return;
    this.value += found;
    this.length += found.length;
    if (this.length > maxRowLength)
      throw refuseFile(`has a row of more than ${maxRowLength} characters: row ${this.line}`);
  };

  readonly close = (name: string): void => {
    this.isValue = false;
    if (name === 'rPh') this.isPhonetic = false;
    if (name === 'row') this.emit({ line: this.line, cells: this.cells });
    if (name !== 'c') return;
    this.isInCell = false;
    const cell = this.cell();
    if (cell === null) return;
    if (this.column > maxColumns)
      throw refuseFile(`must have at most ${maxColumns} columns: row ${this.line} has more`);
    while (this.cells.length < this.column - 1) this.cells.push(null);
    this.cells[this.column - 1] = cell;
  };

  private cell(): Cell {
    const { value: text, attributes, workbook } = this;
    if (this.hasFormula) return { error: isFormula };
    if (text === '') return null;
    switch (attributes['t'] ?? 'n') {
      case 's': {
        const shared = workbook.shared[Number(text)];
        return shared === undefined ? { error: 'is a text that the spreadsheet lacks' } : textCell(shared);
      }
      case 'inlineStr':
      case 'str':
        return textCell(text);
      case 'b':
        return { boolean: text === '1' || text === 'true' };
      case 'e':
        return { error: `is the error ${text.slice(0, 20)} of a spreadsheet` };
      case 'd':
        return { text };
      default:
        return this.numberCell(text);
    }
  }

  private numberCell(text: string): Cell {
    const number = Number(text);
    if (!Number.isFinite(number)) return { error: 'is no number' };
    const isDate = this.workbook.dateStyles[Number(this.attributes['s'] ?? 0)] ?? false;
    if (isDate) return { serial: number + this.workbook.dayShift };
    // Spreadsheets compute with doubles, whose last digits are noise: 0.1 + 0.2 is stored as 0.30000000000000004.
    return { number: text.replace(/[eE]/, '').length > 16 ? shortest(number) : text };
  }
}

/** The fifteen digits of a number that spreadsheets show. */
function shortest(number: number): string {
  return String(Number(number.toPrecision(15)));
}

/** A text, in which `_x000A_` stands for a character. */
const textCell = (text: string): Cell =>
  text === ''
    ? null
    : {
        text: text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, code: string) =>
          String.fromCharCode(Number.parseInt(code, 16)),
        ),
      };

/** `C7` → 3. */
function columnOf(place: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(place)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  if (column === 0) throw refuseFile('is a spreadsheet with a cell that is nowhere');
  return column;
}
