export { createReportMail } from './create-report-mail.ts';
export { deleteReportMail } from './delete-report-mail.ts';
export { leaveReportMail } from './leave-report-mail.ts';
export { listReportMails } from './list-report-mails.ts';
export { reportMails } from './report-mails.queue.ts';
export type { ReportMailServices } from './show-mail.ts';
