import { buildApi, type Definition } from '../resource/index.ts';
import { avatarOperations } from './account/avatar.ts';
import { companySettingsOperations } from './account/company-settings.ts';
import { currentApiToken } from './account/current-token.ts';
import { dashboardOperations } from './account/dashboards.ts';
import { me } from './account/me.ts';
import { memberSignInOperations } from './account/member-sign-in.ts';
import { memberOperations } from './account/members.ts';
import { savedQueryOperations } from './account/saved-queries.ts';
import { savedViewOperations } from './account/saved-views.ts';
import { securityEvents } from './account/security-events.ts';
import { sessionOperations } from './account/sessions.ts';
import { tokenOperations } from './account/tokens.ts';
import { aiUsage } from './ai-usage/ai-usage.ts';
import { Asset } from './asset/asset.ts';
import { AssetDocument } from './asset/document.ts';
import { AssetMaintenance, assetMaintenances } from './asset/maintenance.ts';
import { AssetTransfer } from './asset/transfer.ts';
import { AssetWarranty } from './asset/warranty.ts';
import { changes } from './changes/changes.ts';
import { statusPeriodList } from './changes/status-period-list.ts';
import { Checklist } from './checklist/checklist.ts';
import { ChecklistCompletion } from './checklist/completion.ts';
import { ChecklistGroup } from './checklist/group.ts';
import { ChecklistTask } from './checklist/task.ts';
import { dashboardAnalytics } from './dashboard/dashboard.ts';
import { Desk } from './desk/desk.ts';
import { WorkspaceRecord } from './desk/workspace-record.ts';
import { Document } from './document.ts';
import { attachments } from './files/attachments.ts';
import { filePreview } from './files/file-preview.ts';
import { fileOperations } from './files/files.ts';
import { uploadOperations } from './files/upload-operations.ts';
import { HrAcknowledgment } from './hr/acknowledgment.ts';
import { HrDocument } from './hr/document.ts';
import { importFiles } from './imports/files.ts';
import { importOperations } from './imports/imports.ts';
import { importMappingOperations } from './imports/mappings.ts';
import { StockAdjustment } from './inventory/adjustment.ts';
import { batchCreateItems } from './inventory/batch.ts';
import { InventoryItem } from './inventory/item.ts';
import { accountingOfLeases, leaseAccounting } from './lease/accounting.ts';
import { calendarFeedOperations } from './lease/calendar-feeds.ts';
import { LeaseDate } from './lease/date.ts';
import { LeaseDocument } from './lease/document.ts';
import { Lease } from './lease/lease.ts';
import { LeasePayment } from './lease/payment.ts';
import { Area } from './location/area.ts';
import { Building } from './location/building.ts';
import { ExpectedPackage } from './mailroom/expected-package.ts';
import { addPackagePhoto } from './mailroom/guest-photos.ts';
import { guestOperations } from './mailroom/guests.ts';
import { LabelTemplate } from './mailroom/label-template.ts';
import { labelOperations } from './mailroom/labels.ts';
import { ScanEvent } from './mailroom/scan-event.ts';
import { Shipment } from './mailroom/shipment.ts';
import { meta } from './meta/meta.ts';
import { NoteCategory } from './note/category.ts';
import { Note } from './note/note.ts';
import { notifications } from './notifications/notifications.ts';
import { Paint } from './paint/paint.ts';
import { PaintLocation } from './paint/paint-location.ts';
import { Company } from './people/company.ts';
import { User } from './people/user.ts';
import { Invoice } from './procurement/invoice.ts';
import { PurchaseOrderLineItem, ReceivingRecordLineItem, RequisitionLineItem } from './procurement/lines.ts';
import { PurchaseOrder, purchaseOrdersOfItem } from './procurement/purchase-order.ts';
import { ReceivingRecord, receivingRecordsOfItem } from './procurement/receiving-record.ts';
import { Requisition, requisitionsOfItem } from './procurement/requisition.ts';
import { InventoryTransfer } from './procurement/transfer.ts';
import { Reminder } from './reminder/reminder.ts';
import { MoveRequest, moveRequestThread } from './request/move-request.ts';
import { ServiceRequest, serviceRequestThread } from './request/service-request.ts';
import { TimeClockLocation } from './time-clock/location.ts';
import { TimeClockRecord } from './time-clock/record.ts';
import { TimeClockSettings } from './time-clock/settings.ts';
import { TrainingCompletion } from './training/completion.ts';
import { TrainingProgram } from './training/program.ts';
import { TrainingQuestion } from './training/question.ts';
import { Vendor } from './vendor.ts';
import { webhookOperations } from './webhooks/webhooks.ts';

const withoutPeriods: readonly Definition[] = [
  Building,
  Area,
  Paint,
  PaintLocation,
  User,
  Company,
  ServiceRequest,
  ...serviceRequestThread.definitions,
  MoveRequest,
  ...moveRequestThread.definitions,
  Vendor,
  InventoryItem,
  batchCreateItems,
  StockAdjustment,
  Requisition,
  requisitionsOfItem,
  RequisitionLineItem,
  PurchaseOrder,
  purchaseOrdersOfItem,
  PurchaseOrderLineItem,
  ReceivingRecord,
  receivingRecordsOfItem,
  ReceivingRecordLineItem,
  Invoice,
  InventoryTransfer,
  Lease,
  leaseAccounting,
  ...calendarFeedOperations,
  accountingOfLeases,
  LeaseDocument,
  LeaseDate,
  LeasePayment,
  Asset,
  AssetMaintenance,
  assetMaintenances,
  AssetWarranty,
  AssetDocument,
  AssetTransfer,
  Checklist,
  ChecklistGroup,
  ChecklistTask,
  ChecklistCompletion,
  Document,
  HrDocument,
  HrAcknowledgment,
  TrainingProgram,
  TrainingCompletion,
  TrainingQuestion,
  NoteCategory,
  Note,
  Reminder,
  TimeClockSettings,
  TimeClockLocation,
  TimeClockRecord,
  Shipment,
  LabelTemplate,
  ...labelOperations,
  ScanEvent,
  ExpectedPackage,
  ...guestOperations,
  addPackagePhoto,
  Desk,
  WorkspaceRecord,
  dashboardAnalytics,
  ...aiUsage,
  me,
  ...avatarOperations,
  ...tokenOperations,
  currentApiToken,
  ...memberOperations,
  ...memberSignInOperations,
  ...sessionOperations,
  securityEvents,
  ...savedQueryOperations,
  ...savedViewOperations,
  ...dashboardOperations,
  ...companySettingsOperations,
  ...changes,
  ...webhookOperations,
  ...notifications,
  ...importOperations,
  ...importMappingOperations,
  ...importFiles,
  ...fileOperations,
  ...uploadOperations,
  filePreview,
  attachments,
  ...meta,
];

/** All definitions of the schema. Their order is that of the schema, and has no other effect. */
export const definitions: readonly Definition[] = [...withoutPeriods, statusPeriodList(withoutPeriods)];

/** The schema, and the information derived from its definitions. */
export const api = buildApi(definitions);

/** The GraphQL schema. */
export const { schema } = api;
