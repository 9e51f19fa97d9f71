import { Button, Checkbox, Group, NativeSelect, Radio, Stack, Table, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { Refusal } from '../api.ts';
import { Act } from '../components/Act.tsx';
import { Failure } from '../components/Failure.tsx';
import { useAnswer } from '../components/useAnswer.ts';
import { useFirstFault } from '../components/useFirstFault.ts';
import { sentence, words } from '../components/words.ts';
import { createToken, grantableScopes } from './tokens.ts';

const lives = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: '', label: 'Never' },
  { value: 'on', label: 'On a day…' },
];

/** Asks what a new token is to be, and makes it. */
export function MakeToken({ onMade, onCancel }: { onMade: (token: string) => void; onCancel: () => void }) {
  const { answer: grantable = [], error: unasked } = useAnswer(grantableScopes);
  const form = useRef<HTMLFormElement>(null);
  const wildcards = ['*', '*:read'].filter((scope) => grantable.includes(scope));
  const [access, setAccess] = useState('some');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [life, setLife] = useState('90');
  const [fault, setFault] = useState<Refusal>();
  const [busy, setBusy] = useState(false);

  const held = (scope: string) => grantable.includes(scope);
  const families = [...new Set(grantable.map((scope) => scope.split(':')[0] ?? ''))].filter((family) => family !== '*');
  // Whoever may not grant * may grant both halves of it.
  const full = held('*') ? ['*'] : ['*:read', '*:write'];
  const details = fault?.details ?? {};
  useFirstFault(form, fault);

  async function submit(data: FormData) {
    setBusy(true);
    setFault(undefined);
    try {
      const scopes = access === 'all' ? full : access === 'read' ? ['*:read'] : chosen;
      if (scopes.length === 0) throw new Refusal('', 'VALIDATION_ERROR', { scopes: 'needs at least one tick' });
      const name = data.get('name');
      const input = {
        name: typeof name === 'string' ? name : '',
        scopes,
        live: data.get('live') === 'live',
        expiresAt: expiry(life, data.get('day')),
      };
      onMade(await createToken(input));
    } catch (caught) {
      setFault(caught as Refusal);
      setBusy(false);
    }
  }

  const toggle = (scope: string) =>
    setChosen((before) => (before.includes(scope) ? before.filter((one) => one !== scope) : [...before, scope]));

  return (
    <form
      ref={form}
      aria-label="A new token"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <Stack maw={560}>
        {(unasked ?? (fault && Object.keys(details).length === 0)) && (
          <Failure>{(unasked ?? fault)?.message ?? ''}</Failure>
        )}
        <TextInput
          label="Name"
          description="What will use it, so that you know it again."
          name="name"
          required
          withAsterisk={false}
          maxLength={200}
          autoFocus
          error={sentence(details['name'])}
        />
        <Radio.Group
          label="What it may do"
          description="Reading and writing do not imply each other."
          name="access"
          value={access}
          onChange={setAccess}
          error={details['scopes'] && <span role="alert">{sentence(details['scopes'])}</span>}
        >
          <Stack gap="xs" mt="xs">
            {(wildcards.includes('*') || held('*:write')) && <Radio value="all" label="Everything" />}
            {held('*:read') && <Radio value="read" label="Read everything" />}
            <Radio value="some" label="Only what I tick" />
          </Stack>
        </Radio.Group>
        {access === 'some' && (
          <Table aria-label="What it may read and write" verticalSpacing={4} withTableBorder>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Family</Table.Th>
                <Table.Th scope="col">Read</Table.Th>
                <Table.Th scope="col">Write</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {families.map((family) => (
                <Table.Tr key={family}>
                  <Table.Th scope="row" fw={400}>
                    {words(family)}
                  </Table.Th>
                  {['read', 'write'].map((verb) => (
                    <Table.Td key={verb}>
                      {held(`${family}:${verb}`) && (
                        <Checkbox
                          aria-label={`${words(family)}: ${verb}`}
                          checked={chosen.includes(`${family}:${verb}`)}
                          onChange={() => toggle(`${family}:${verb}`)}
                        />
                      )}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <Radio.Group label="Where it works" name="live" defaultValue="live">
          <Stack gap="xs" mt={4}>
            <Radio value="live" label="Live: the company's own rows" />
            <Radio value="test" label="Test: the sandbox, where nothing matters" />
          </Stack>
        </Radio.Group>
        <Group align="flex-start">
          <NativeSelect
            label="Expires"
            data={lives}
            value={life}
            onChange={({ currentTarget }) => setLife(currentTarget.value)}
            error={life === 'on' ? undefined : sentence(details['expiresAt'])}
          />
          {life === 'on' && (
            <TextInput
              type="date"
              label="Last day"
              name="day"
              required
              withAsterisk={false}
              error={sentence(details['expiresAt'])}
            />
          )}
        </Group>
        <Group>
          <Act type="submit" busy={busy}>
            Make the token
          </Act>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** When the token ends: so many days from now, or with the end of a day. */
function expiry(life: string, lastDay: FormDataEntryValue | null): string | null {
  if (life === '') return null;
  if (life !== 'on') return new Date(Date.now() + Number(life) * 86_400_000).toISOString();
  if (typeof lastDay !== 'string' || lastDay === '')
    throw new Refusal('', 'VALIDATION_ERROR', { expiresAt: 'is required' });
  return new Date(`${lastDay}T23:59:59.999`).toISOString();
}
