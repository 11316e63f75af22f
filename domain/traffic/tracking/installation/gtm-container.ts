import type { Installation } from './installation.ts';
import { prelude } from './snippet.ts';

const containerIds = { accountId: '0', containerId: '0' } as const;
const constants = { key: 'Tributary key', origin: 'Tributary collector' } as const;
const triggerId = '3';

/**
 * Builds a container in Tag Manager's export format. The tag creates its script element by code, because Tag Manager
 * drops unknown attributes of literal script elements, including `data-key`.
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
      ...containerIds,
      containerVersionId: '0',
      container: {
        path: 'accounts/0/containers/0',
        ...containerIds,
        name: 'Tributary',
        publicId: 'GTM-TRIBUTARY',
        usageContext: ['WEB'],
      },
      tag: [
        {
          ...containerIds,
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
      trigger: [{ ...containerIds, triggerId, name: 'Tributary: all pages', type: 'PAGEVIEW', fingerprint: '0' }],
      variable: [constant('1', constants.key, key), constant('2', constants.origin, origin)],
      fingerprint: '0',
    },
  };
}

const constant = (variableId: string, name: string, value: string) => ({
  ...containerIds,
  variableId,
  name,
  type: 'c',
  parameter: [{ type: 'TEMPLATE', key: 'value', value }],
  fingerprint: '0',
  formatValue: {},
});
