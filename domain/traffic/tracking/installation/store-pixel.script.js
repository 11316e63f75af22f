// Tributary: custom pixel for a Shopify store. It runs in the store's sandbox, where `analytics` publishes events and `browser`
// accesses the shop's cookies. It shares client and session ids with the tracker if that is installed on the storefront, too.
const KEY = '__KEY__';
const COLLECTOR = '__COLLECTOR__';
const IDLE_MS = 30 * 60 * 1000;

const uuid = (atMs) => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let index = 0; index < 6; index += 1) bytes[index] = Math.floor(atMs / 2 ** (8 * (5 - index))) & 255;
  bytes[6] = (bytes[6] & 15) | 112;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

const clientId = async () => {
  const existing = await browser.cookie.get('tributary_id');
  if (existing) return existing;
  const id = uuid(Date.now());
  await browser.cookie.set(`tributary_id=${id}; path=/; max-age=34560000; SameSite=Lax; Secure`);
  return id;
};

const session = async (atMs) => {
  const [id, lastMs] = ((await browser.cookie.get('tributary_session')) || '').split('.');
  const isOngoing = id && Math.abs(atMs - Number(lastMs)) < IDLE_MS;
  const current = isOngoing ? id : uuid(atMs);
  await browser.cookie.set(`tributary_session=${current}.${atMs}; path=/; max-age=1800; SameSite=Lax; Secure`);
  return { session_id: current, is_session_start: !isOngoing };
};

// The visitor's consent in the store's own privacy banner, if it has one.
const isAgreedInStore = () => typeof init !== 'undefined' && init.customerPrivacy?.analyticsProcessingAllowed === true;

// Sends events one after another: in a burst, only the first may start a session.
let queue = Promise.resolve();

const report = (event, more) => {
  queue = queue
    .then(async () => {
      // The consent given to the tracker on the storefront applies to the whole shop.
      const answer = await browser.cookie.get('tributary_consent');
      if (answer === 'no') return;
      const at = new Date(event.timestamp || Date.now());
      const { location, referrer } = event.context.document;
      const visit = {
        id: uuid(at.getTime()),
        at: at.toISOString(),
        ...(await session(at.getTime())),
        url: location.href,
        ...(referrer && { referrer }),
        ...more,
      };
      const consent = answer === 'yes' || isAgreedInStore();
      const body = JSON.stringify({ key: KEY, client_id: await clientId(), consent, visits: [visit] });
      await fetch(`${COLLECTOR}/v1/visits`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body,
        keepalive: true,
      });
    })
    .catch(() => {});
};

const present = (values) =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );

const variantOf = (variant = {}) => ({
  product_id: variant.product?.id,
  product_title: variant.product?.title,
  variant_id: variant.id,
  sku: variant.sku,
  price: variant.price?.amount,
  currency: variant.price?.currencyCode,
});

const lineOf = (line = {}) => ({ ...variantOf(line.merchandise), quantity: line.quantity });

const checkoutOf = (checkout = {}) => ({
  checkout_token: checkout.token,
  order_id: checkout.order?.id,
  value: checkout.totalPrice?.amount,
  currency: checkout.currencyCode,
  line_items: checkout.lineItems?.length,
});

const traitsOf = (checkout) => {
  const address = checkout.billingAddress || checkout.shippingAddress || {};
  const customer = checkout.order?.customer || {};
  return present({
    email: checkout.email,
    phone: checkout.phone || address.phone,
    external_id: customer.id,
    first_name: address.firstName,
    last_name: address.lastName,
  });
};

const tracked = {
  product_viewed: ({ productVariant }) => variantOf(productVariant),
  collection_viewed: ({ collection = {} }) => ({ collection_id: collection.id, collection_title: collection.title }),
  search_submitted: () => ({}),
  cart_viewed: ({ cart }) => ({
    value: cart?.cost?.totalAmount.amount,
    items: cart?.totalQuantity,
  }),
  product_added_to_cart: ({ cartLine }) => lineOf(cartLine),
  product_removed_from_cart: ({ cartLine }) => lineOf(cartLine),
  checkout_started: ({ checkout }) => checkoutOf(checkout),
  payment_info_submitted: ({ checkout }) => checkoutOf(checkout),
  checkout_completed: ({ checkout }) => checkoutOf(checkout),
};

analytics.subscribe('page_viewed', (event) => report(event, { type: 'page_view' }));

for (const [name, propertiesOf] of Object.entries(tracked)) {
  analytics.subscribe(name, (event) => {
    const data = event.data || {};
    report(event, { type: 'track', name, properties: present(propertiesOf(data)) });
    if (name !== 'checkout_completed' || !data.checkout) return;
    const traits = traitsOf(data.checkout);
    if (Object.keys(traits).length > 0) report(event, { type: 'identify', traits });
  });
}
