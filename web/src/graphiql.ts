import './graphiql.css';
import { companyName, readSession } from './session.ts';
import { whenTold } from './tabs.ts';

/** The bar above GraphiQL: in whose name it asks, and the way back. */
const bar = document.createElement('header');
bar.className = 'premises-bar';
document.body.prepend(bar);
document.querySelector('#root')?.setAttribute('role', 'main');

const link = (href: string, text: string) => Object.assign(document.createElement('a'), { href, textContent: text });
const note = (text: string) => Object.assign(document.createElement('h1'), { textContent: text });

async function describe(): Promise<void> {
  const session = await readSession().catch(() => null);
  if (session?.company) {
    const company = companyName(session.company);
    document.title = `${company} · GraphiQL`;
    bar.replaceChildren(
      link('/dashboard', 'Back to the dashboard'),
      note(`${company}, as ${session.person.full_name}. No token is needed.`),
    );
  } else if (session) {
    bar.replaceChildren(
      link('/account', 'Choose a company'),
      note('You are no longer in the company that you had chosen.'),
    );
  } else {
    bar.replaceChildren(
      link('/sign-in?return_to=/graphql', 'Sign in'),
      note('Or put an API token into the Headers, after Bearer.'),
    );
  }
}

whenTold(() => void describe());
await describe();
