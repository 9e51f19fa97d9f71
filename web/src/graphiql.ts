import './graphiql.css';
import { getSession } from './api/auth.ts';
import { companyName, onSessionChange } from './session.ts';

/** The bar above GraphiQL: who is signed in, and a link back. */
const bar = document.createElement('header');
bar.className = 'premises-bar';
document.body.prepend(bar);
document.querySelector('#root')?.setAttribute('role', 'main');

const link = (href: string, text: string) => Object.assign(document.createElement('a'), { href, textContent: text });
const heading = (text: string) => Object.assign(document.createElement('h1'), { textContent: text });

async function render(): Promise<void> {
  const session = await getSession().catch(() => null);
  if (session?.company) {
    const company = companyName(session.company);
    document.title = `${company} · GraphiQL`;
    bar.replaceChildren(
      link('/dashboard', 'Back to dashboard'),
      heading(`${company} · Signed in as ${session.person.full_name}. No token needed.`),
    );
  } else if (session) {
    bar.replaceChildren(
      link('/account', 'Choose a company'),
      heading("You're no longer a member of the selected company."),
    );
  } else {
    bar.replaceChildren(
      link('/sign-in?return_to=/graphql', 'Sign in'),
      heading('Or add an API token in the Headers tab.'),
    );
  }
}

onSessionChange(() => void render());
await render();
