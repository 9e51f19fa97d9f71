import { Button, Checkbox, Menu } from '@mantine/core';
import type { ListSearch } from '../../app/search.ts';
import { t } from '../../texts/console.ts';
import { columnsOf } from '../list-query.ts';
import type { ChoiceProps } from './choice.ts';

/** Chooses the columns. */
export default function ColumnMenu({
  definition,
  state,
  onChange,
}: ChoiceProps<readonly string[]> & { readonly state: ListSearch }) {
  const shown = columnsOf(definition, state).map(({ name }) => name);
  return (
    <Menu closeOnItemClick={false} withinPortal position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs">
          {t('columns')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        {definition.fields.map(({ name, label, control }) => {
          if (control === 'ITEMS') return null;
          const isShown = shown.includes(name);
          const columns = isShown ? shown.filter((each) => each !== name) : [...shown, name];
          return (
            <Menu.Item
              key={name}
              role="menuitemcheckbox"
              aria-checked={isShown}
              disabled={isShown && shown.length === 1}
              leftSection={<Checkbox.Indicator checked={isShown} size="xs" />}
              onClick={() => onChange(columns)}
            >
              {label}
            </Menu.Item>
          );
        })}
        <Menu.Divider />
        <Menu.Item onClick={() => onChange(undefined)}>{t('asAtFirst')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
