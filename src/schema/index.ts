/** The table of contents: one import a family. Importing this module builds the schema. */
import './location.ts';
import './paint.ts';
import './people.ts';
import './request/service-request.ts';
import './request/move-request.ts';
import './vendor.ts';
import './inventory/item.ts';
import './inventory/adjustment.ts';
import './procurement/requisition.ts';
import './procurement/purchase-order.ts';
import './procurement/receiving.ts';
import './procurement/invoice.ts';
import './procurement/transfer.ts';
import './lease/children.ts';
import './asset/maintenance.ts';
import './asset/documents.ts';
import './asset/transfer.ts';
import './checklist/group.ts';
import './checklist/task.ts';
import './checklist/completion.ts';
import './document.ts';
import './hr.ts';
import './training.ts';
import './note.ts';
import './reminder/reminder.ts';
import './time-clock/settings.ts';
import './time-clock/location.ts';
import './time-clock/record.ts';
import './mailroom/shipment.ts';
import './mailroom/label-template.ts';
import './mailroom/scan-event.ts';
import './mailroom/expected-package.ts';
import './mailroom/guests.ts';
import './desk/desk.ts';
import './desk/workspace-record.ts';
import './dashboard/dashboard.ts';
import './ai-usage/event.ts';
import './ai-usage/report.ts';
import './ai-usage/roll-up.ts';
import './account/me.ts';
import './account/tokens.ts';
import { builder } from '../resource/builder.ts';
import { connectionTypes, operations, ownedTypes, readScopes } from '../resource/registry.ts';

/** The product: every type, field and rule. Fields keep the order they were declared in; it is the JSON's order. */
export const schema = builder.toSchema({ sortSchema: false });

/** What the schema was built of: every REST operation, and what the types of rows ask for. */
export const api = { schema, operations, readScopes, connectionTypes, ownedTypes };
