export { createLinkTokens, type LinkTokenServices } from './create-link-tokens.ts';
export { linkTokenReader, openLinkToken, sealLinkToken } from './token.ts';
