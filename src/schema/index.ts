/** The table of contents: one import a family. Importing this module builds the schema. */
import './location.ts';
import './paint.ts';
import './people.ts';
import './request/service-request.ts';
import './request/move-request.ts';
import './vendor.ts';
import './inventory/item.ts';
import './inventory/adjustment.ts';
import './lease/children.ts';
import './asset/maintenance.ts';
import './asset/papers.ts';
import './asset/transfer.ts';
import './checklist/group.ts';
import './checklist/task.ts';
import './checklist/completion.ts';
import { builder } from './builder.ts';

/** The product: every type, field and rule. Fields keep the order they were declared in; it is the JSON's order. */
export const schema = builder.toSchema({ sortSchema: false });
