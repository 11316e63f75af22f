export { type MailPlace, putMailBack, sendOnce, setMailAside, settleMail } from './send-once.ts';
