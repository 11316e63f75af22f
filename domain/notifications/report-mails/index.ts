export { type MailLocation, parkMail, sendOnce, settleMail, unparkMail } from './send-once.ts';
