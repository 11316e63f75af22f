export { hashSecret, isWellFormedSecret, mintSecret } from './secret.ts';
