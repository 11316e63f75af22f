import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { findConnected } from '../store.ts';
import { toChatbotResponse } from './chatbot.ts';

export const readChatbotConnection: Handles<Routes['readChatbotConnection'], { readonly baseUrl: string }> = async (
  _input,
  { ledger, caller, baseUrl },
) => {
  const options = { readOnly: true } as const;
  const row = await ledger.transaction((tx) => findConnected(tx, caller.profileId, 'chatbot'), options);
  return answer(200, { data: row ? toChatbotResponse(row, baseUrl) : null });
};
