import { defineResource, rules } from '../resource/index.ts';

/** Vendors. Their invoices and purchase orders are defined in `procurement/`. */
export const Vendor = defineResource('Vendor', {
  words: { title: 'companyName' },
  scope: 'vendors',
  fields: {
    companyName: {},
    contactName: {},
    email: { rule: rules.email },
    phone: {},
    vendorType: {},
    paymentTerms: {},
    address: {},
    status: {},
  },
  list: { search: ['companyName', 'contactName', 'email'] },
  rest: { path: '/vendors' },
});
