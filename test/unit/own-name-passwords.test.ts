import { expect, test } from '@jest/globals';
import { validateNewPassword } from '../../src/auth/sessions/passwords.ts';

const ann = { fullName: 'Ann Lee', email: 'a.lee@acme.example' };
const jose = { fullName: 'José Núñez', email: 'jn@corp.example' };
const ownName = 'must not contain your name or email address';

test.each([
  ['names too short to count alone', 'ann lee 1847', ann],
  ['a name written together', 'AnnLee-1847', ann],
  ['the family name first', 'lee.ann.1847', ann],
  ['signs between letters', 'a-n-n-l-e-e 1847', ann],
  ['the address', 'xx a_lee 1847', ann],
  ['the name of the domain', 'my acme 1847', ann],
  ['no accents', 'nunez-1847-x', jose],
  ['accents written apart', 'Jose\u0301 1847 xy', jose],
])('a password with %s is refused', async (_, password, person) => {
  expect(await validateNewPassword(password, person)).toBe(ownName);
});

test.each([
  ['short parts of a name', 'annual sleet 47', ann],
  ['another name', 'bob-kline-1847', ann],
  ['letters outside ASCII', 'длинный пароль', { fullName: '李', email: 'l@li.example' }],
])('a password with %s is accepted', async (_, password, person) => {
  expect(await validateNewPassword(password, person)).toBeUndefined();
});
