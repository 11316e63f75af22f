import type { PixelPlatform } from '@tributary/vocabulary';

/**
 * The base code of each ad platform's pixel, as the platform documents it. If consent is required, the pixel starts
 * without consent, and the page's consent manager grants it later.
 */
const codes: Readonly<Record<PixelPlatform, (id: string, isConsentRequired: boolean) => string>> = {
  social_ads: (id, isConsentRequired) => `<!-- Meta Pixel -->
<script>
!function(f,b,e,v,n,t,s){if(f.fbq)return;n=f.fbq=function(){n.callMethod?n.callMethod.apply(n,arguments):n.queue.push(arguments)};
if(!f._fbq)f._fbq=n;n.push=n;n.loaded=!0;n.version='2.0';n.queue=[];t=b.createElement(e);t.async=!0;t.src=v;
s=b.getElementsByTagName(e)[0];s.parentNode.insertBefore(t,s)}(window,document,'script','https://connect.facebook.net/en_US/fbevents.js');
${isConsentRequired ? "fbq('consent','revoke');\n" : ''}fbq('init','${id}');
fbq('track','PageView');
</script>
`,
  search_ads: (id, isConsentRequired) => `<!-- Google tag -->
<script>
window.dataLayer=window.dataLayer||[];
function gtag(){dataLayer.push(arguments)}
${isConsentRequired ? "gtag('consent','default',{ad_storage:'denied',ad_user_data:'denied',ad_personalization:'denied',analytics_storage:'denied'});\n" : ''}gtag('js',new Date());
gtag('config','${id}');
</script>
<script async src="https://www.googletagmanager.com/gtag/js?id=${id}"></script>
`,
};

/** Expects an id already checked against the platform's format, because it is inserted without escaping. */
export const pixelCode = (pixel: PixelPlatform, id: string, isConsentRequired: boolean): string =>
  codes[pixel](id, isConsentRequired);
