export { alertMails } from './alert-mails.queue.ts';
export { listAlerts } from './list-alerts.ts';
export { lookForAlerts } from './look-for-alerts.job.ts';
export { type AlertServices, readAlertMail } from './read-alert-mail.ts';
export { updateAlertMail } from './update-alert-mail.ts';
