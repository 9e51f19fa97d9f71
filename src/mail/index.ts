// Email of companies. To send a message, after its transaction:
//
//   const sender = await findSender(prisma, companyId);
//   if (sender) mailer.send(sender, { to, subject, paragraphs: ['…'], link: { label: 'Open', path: '/…' } });
//
// Resolvers find the mailer in their context.
export { createMailer, type Mailer, type MailResult, noMailer } from './mailer.ts';
export type { MailAttachment, Message, MessageLink } from './message.ts';
export { mailPauses, pauseAfter } from './retries.ts';
export { findSender, type Sender, serviceSender } from './sender.ts';
