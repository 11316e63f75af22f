import type { Installation } from './installation.ts';
import { prelude } from './snippet.ts';

const place = { accountId: '0', containerId: '0' } as const;
const constants = { key: 'Tributary key', origin: 'Tributary collector' } as const;
const triggerId = '3';

/**
 * Tag Manager's export format. The tag makes its script element by hand: in one that is written out, Tag Manager drops the
 * attributes that it does not know, and with them the key.
 */
export function gtmContainer({ key, origin, isConsentRequired }: Installation, exportedAt: Date) {
  const html = `<script>
${prelude}
(function () {
  var script = document.createElement('script');
  script.async = true;
  script.src = '{{${constants.origin}}}/t.js';
  script.setAttribute('data-key', '{{${constants.key}}}');${isConsentRequired ? "\n  script.setAttribute('data-consent', 'required');" : ''}
  document.head.appendChild(script);
})();
</script>`;
  return {
    exportFormatVersion: 2 as const,
    exportTime: exportedAt.toISOString().slice(0, 19).replace('T', ' '),
    containerVersion: {
      path: 'accounts/0/containers/0/versions/0',
      ...place,
      containerVersionId: '0',
      container: {
        path: 'accounts/0/containers/0',
        ...place,
        name: 'Tributary',
        publicId: 'GTM-TRIBUTARY',
        usageContext: ['WEB'],
      },
      tag: [
        {
          ...place,
          tagId: '4',
          name: 'Tributary tracker',
          type: 'html',
          parameter: [
            { type: 'TEMPLATE', key: 'html', value: html },
            { type: 'BOOLEAN', key: 'supportDocumentWrite', value: 'false' },
          ],
          fingerprint: '0',
          firingTriggerId: [triggerId],
          tagFiringOption: 'ONCE_PER_LOAD',
          monitoringMetadata: { type: 'MAP' },
        },
      ],
      trigger: [{ ...place, triggerId, name: 'Tributary: all pages', type: 'PAGEVIEW', fingerprint: '0' }],
      variable: [constant('1', constants.key, key), constant('2', constants.origin, origin)],
      fingerprint: '0',
    },
  };
}

const constant = (variableId: string, name: string, value: string) => ({
  ...place,
  variableId,
  name,
  type: 'c',
  parameter: [{ type: 'TEMPLATE', key: 'value', value }],
  fingerprint: '0',
  formatValue: {},
});
