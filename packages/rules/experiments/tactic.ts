import { type TacticName, tacticNames, tactics } from '@tributary/vocabulary';

const namedBrand = /(^|[^\p{L}])(brand(ed)?|marca)([^\p{L}]|$)/iu;
const namedOther = /(non|no|sin|generic)[^\p{L}]*(brand(ed)?|marca)/iu;
const namedRetargeting = /re-?(targeting|marketing)/iu;
const namedCoupon = /coupon|cup[oó]n|voucher/iu;

/** Guesses a campaign's tactic from its name and the channel of most of its visits. The operator can override it. */
export function guessTactic({ name, channel }: { readonly name: string; readonly channel: string }): TacticName {
  if (namedRetargeting.test(name)) return 'retargeting';
  if (namedCoupon.test(name)) return 'coupon';
  const byChannel = tacticNames.find((tactic) => tactics[tactic].channels.some((one) => one === channel));
  if (byChannel === 'search' && namedBrand.test(name) && !namedOther.test(name)) return 'brand';
  return byChannel ?? 'push';
}
