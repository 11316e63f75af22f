import type { Channel } from '@tributary/vocabulary';
import { channels } from '../vocabulary.ts';

/** Every provider that can be connected, grouped by the kind of data. */
export const groups = [
  { id: 'ads', kinds: ['ads', 'search'] },
  { id: 'revenue', kinds: ['payments', 'store'] },
  { id: 'crm', kinds: ['crm', 'messaging'] },
] as const;

const names = Object.keys(channels) as Channel[];

export const providersOf = (group: (typeof groups)[number]): readonly Channel[] =>
  names.filter((name) => (group.kinds as readonly string[]).includes(channels[name].kind));

/** Two letters per tile. The providers' own logos are trademarks, so none is copied. */
const monograms: Readonly<Record<Channel, { readonly letters: string; readonly tone: string }>> = {
  social_ads: { letters: 'Me', tone: 'fill-[#3b5b92]' },
  search_ads: { letters: 'Ga', tone: 'fill-[#2f7d5b]' },
  search_console: { letters: 'Sc', tone: 'fill-[#6b6f2f]' },
  crm_a: { letters: 'Hl', tone: 'fill-[#8a5a2b]' },
  payments_a: { letters: 'St', tone: 'fill-[#5b4b9a]' },
  payments_b: { letters: 'Mp', tone: 'fill-[#1f6f8f]' },
  bank_link: { letters: 'Fi', tone: 'fill-[#44566c]' },
  store: { letters: 'Sh', tone: 'fill-[#4a7a2e]' },
  chatbot: { letters: 'Mc', tone: 'fill-[#8b3f6a]' },
};

export function ProviderTile({ channel }: { readonly channel: Channel }) {
  const { letters, tone } = monograms[channel];
  return (
    <svg viewBox="0 0 40 40" className="size-10 shrink-0" aria-hidden="true">
      <rect width="40" height="40" rx="9" className={tone} />
      <text x="20" y="26" textAnchor="middle" className="fill-[#ffffff] font-semibold text-[16px]">
        {letters}
      </text>
    </svg>
  );
}
