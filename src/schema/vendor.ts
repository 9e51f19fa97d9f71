import { resource } from '../resource/define.ts';
import { rules } from '../resource/validate.ts';

/** Vendors (spec §4, Vendors). Their invoices and purchase orders are defined in `procurement/`. */
export const Vendor = resource('Vendor', {
  path: '/vendors',
  scope: 'vendors',
  fields: ['companyName', 'contactName', 'email', 'phone', 'vendorType', 'paymentTerms', 'address', 'status'],
  relations: ['requisitions', 'purchaseOrders', 'invoices'],
  input: ['companyName', 'contactName', 'email', 'phone', 'vendorType', 'paymentTerms', 'address', 'status'],
  search: ['companyName', 'contactName', 'email'],
  rules: { email: rules.email },
});
