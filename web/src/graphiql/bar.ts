import { getSession } from '../api/auth.ts';
import { companyName } from '../session.ts';
import { t } from '../texts/graphiql.ts';

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
    document.title = t('companyGraphiQL', { company });
    bar.replaceChildren(
      link('/dashboard', t('backToDashboard')),
      heading(t('companySignedInAsFullName', { company, full_name: session.person.full_name })),
    );
  } else if (session) {
    bar.replaceChildren(link('/account', t('chooseACompany')), heading(t('youreNoLongerAMemberOf')));
  } else {
    const path = encodeURIComponent(location.pathname + location.search);
    bar.replaceChildren(link(`/sign-in?return_to=${path}`, t('signIn')), heading(t('orAddAnAPITokenIn')));
  }
}
