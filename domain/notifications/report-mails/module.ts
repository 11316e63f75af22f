export { createReportMail } from './create-report-mail.ts';
export { deleteReportMail } from './delete-report-mail.ts';
export { leaveReportMail } from './leave-report-mail.ts';
export { listReportMails } from './list-report-mails.ts';
export type { ReportMailServices } from './mail-response.ts';
export { previewReportMail } from './preview-report-mail.ts';
export { reportMails } from './report-mails.queue.ts';
export { sendReportMail } from './send-report-mail.ts';
export { removeMailsOf } from './store.ts';
