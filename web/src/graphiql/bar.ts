import { getSession } from '../api/auth.ts';
import { companyName } from '../session.ts';

const link = (href: string, text: string) => Object.assign(document.createElement('a'), { href, textContent: text });
const heading = (text: string) => Object.assign(document.createElement('h1'), { textContent: text });

let calls = 0;

/** Shows in the bar above GraphiQL who is signed in, and a link back. Only the last call's session is shown. */
export async function showBar(bar: Element): Promise<void> {
  const call = (calls += 1);
  const session = await getSession().catch(() => null);
  if (call !== calls) return;
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
    const path = encodeURIComponent(location.pathname + location.search);
    bar.replaceChildren(
      link(`/sign-in?return_to=${path}`, 'Sign in'),
      heading('Or add an API token in the Headers tab.'),
    );
  }
}
