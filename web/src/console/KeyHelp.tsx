import { Kbd, Modal, Stack, Switch, Table } from '@mantine/core';
import { t } from '../texts/console.ts';
import { setSingleKeys, useSingleKeysSetting } from './keys.ts';

interface Props {
  /** What each key does. */
  readonly keys: Readonly<Record<string, string>>;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Shows the keys of a page, and lets people switch them off. */
export function KeyHelp({ keys, isOpen, onClose }: Props) {
  const areOn = useSingleKeysSetting();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('keys')}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack>
        <Table aria-label={t('keys')}>
          <Table.Tbody>
            {Object.entries(keys).map(([key, text]) => (
              <Table.Tr key={key}>
                <Table.Th scope="row">
                  <Kbd>{key}</Kbd>
                </Table.Th>
                <Table.Td>{text}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Switch
          label={t('useSingleKeysInThisBrowser')}
          checked={areOn}
          onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}
