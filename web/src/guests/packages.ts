import { call } from '../api.ts';

/** A package as the guest who has announced it sees it. */
export interface Announced {
  readonly company_name: string;
  readonly guest_name: string;
  readonly guest_email: string;
  readonly description: string | null;
  readonly vendor_name: string | null;
  readonly tracking_number: string | null;
  readonly expected_date: string | null;
  readonly quantity: number | null;
  readonly notes: string | null;
  readonly status: 'expected' | 'received' | 'collected';
  readonly received_at: string | null;
  readonly created_at: string;
}

/** @returns the token that the package is followed by, which is told this once */
export async function announce(said: Record<string, string | number>): Promise<string> {
  return (await call<{ tracking_token: string }>('POST', '/api/v1/public/expected-packages', said)).tracking_token;
}

/** @param token as it stands in an address */
export const follow = (token: string) => call<Announced>('GET', `/api/v1/public/expected-packages/${token}`);
