import { isIPv6 } from 'node:net';

/**
 * The network of an IP address: an IPv4 address itself, or the first 64 bits of an IPv6 address, usually one customer.
 */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  // An IPv4 address that is written as an IPv6 address belongs to one machine.
  if (/^(::|(0:){5})ffff:/i.test(ip)) return ip;
  const [head = '', tail] = ip.split('%', 1)[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail ? tail.split(':') : [])];
  const prefix = all.slice(0, 4).map((group) => parseInt(group, 16).toString(16));
  return `${prefix.join(':')}::/64`;
}
