export { createLinkTokens, type LinkTokenServices } from './create-link-tokens.ts';
export { createLinkTokenReader, openLinkToken, sealLinkToken } from './token.ts';
