import { route } from '../route.ts';

/**
 * Where assistants come in, at /mcp. Whoever shows a credential that somebody put there on purpose may knock: a cookie comes by itself, so
 * it does not count. What is asked for then is an operation of its own.
 */
export const mcpDoor = route({
  id: 'mcp',
  method: 'POST',
  path: '/mcp',
  summary: 'The MCP server',
  chapter: 'Assistants',
  audit: 'not needed: each tool is an operation, which leaves its own entry',
  access: { credentials: ['mcp', 'api_key', 'app'], grain: 'profile', entitlement: 'not needed' },
  answers: {},
});
