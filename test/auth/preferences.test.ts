import { afterAll, expect, test } from '@jest/globals';
import { readSession, startSignInService } from './sign-in-service.ts';

const { acme, other, signedIn, addMember, close } = await startSignInService();
afterAll(close);

test('a person has one language and time zone in all of their companies', async () => {
  const email = 'both@acme.example';
  await addMember(acme, email);
  await addMember(other, email);
  const browser = (await signedIn(email)).at('');
  const read = async () => {
    const session = await readSession(browser);
    const { data } = await browser.graphql<{ me: object }>('{ me { language timeZone } }');
    return { session: session?.['person'], me: data.me };
  };
  expect(await read()).toMatchObject({
    session: { language: null, time_zone: null },
    me: { language: null, timeZone: null },
  });
  const reply = await browser.patch('/auth/account', { language: 'de', time_zone: 'Europe/Berlin' });
  expect(reply).toMatchObject({ status: 200, row: { person: { language: 'de', time_zone: 'Europe/Berlin' } } });
  await browser.patch('/auth/session', { company_id: other.company.id });
  expect(await read()).toMatchObject({
    session: { language: 'de', time_zone: 'Europe/Berlin' },
    me: { language: 'de', timeZone: 'Europe/Berlin' },
  });
  // What is left out stays, and null is the browser's.
  await browser.patch('/auth/account', { language: null });
  expect((await read()).me).toEqual({ language: null, timeZone: 'Europe/Berlin' });
  // Messages stay English.
  await browser.patch('/auth/account', { language: 'de' });
  expect((await browser.patch('/auth/account', { language: 'xx' })).details).toEqual({
    language: 'must be one of en, de',
  });
});

test.each([
  [{ language: 'fr' }, { language: 'must be one of en, de' }],
  [{ language: 1, time_zone: '' }, { language: 'must be a string' }],
  [
    { language: 'DE', time_zone: 'Mars/Olympus' },
    {
      language: 'must be one of en, de',
      time_zone: 'must be the IANA name of a time zone, such as Europe/Berlin',
    },
  ],
  [{ timezone: 'UTC' }, { timezone: 'is not a field here; did you mean time_zone?' }],
])('%j is refused', async (body, details) => {
  const browser = (await signedIn()).at('');
  expect(await browser.patch('/auth/account', body)).toMatchObject({ status: 422, details });
  expect(await readSession(browser)).toMatchObject({ person: { language: null, time_zone: null } });
});

test('nobody else changes them', async () => {
  const token = (await acme.client()).at('');
  expect((await token.patch('/auth/account', { language: 'de' })).status).toBe(401);
});
