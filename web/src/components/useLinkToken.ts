import { useEffect, useState } from 'react';

/**
 * The token of the link that was opened. It follows the #, a part of the address that browsers do not send. Another
 * link that is opened in the same tab differs only there, and loads the page again.
 */
export function useLinkToken(): string {
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => {
    const reload = () => location.reload();
    addEventListener('hashchange', reload);
    return () => removeEventListener('hashchange', reload);
  }, []);
  return token;
}
