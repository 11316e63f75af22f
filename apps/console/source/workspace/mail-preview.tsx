import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { t } from '../messages/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { QueryResult } from '../parts/states.tsx';
import { useReportScope } from '../report-scope.ts';
import { type MailContent, mailPreviewQuery } from './queries.ts';

interface MailPreviewProps {
  readonly content: MailContent;
  readonly onClose: () => void;
}

/** The mail as its recipients will see it. */
export function MailPreview({ content, onClose }: MailPreviewProps) {
  const { profileId } = useReportScope().scope;
  const preview = useQuery(mailPreviewQuery(profileId, content));
  return (
    <Dialog title={t.reportMails.preview} isOpen onClose={onClose}>
      <QueryResult query={preview} lines={6}>
        {({ subject, html }) => (
          <div className="grid gap-3">
            <p>
              <span className="label block">{t.reportMails.subject}</span>
              {subject}
            </p>
            <MailBody html={html} />
          </div>
        )}
      </QueryResult>
      <div className="flex justify-end">
        <button type="button" className="button" onClick={onClose}>
          {t.common.close}
        </button>
      </div>
    </Dialog>
  );
}

/**
 * Isolates the mail's HTML from the page's styles. The content security policy blocks style attributes but allows scripts to set the same styles, so
 * they are renamed and set one by one. Scripts in the HTML do not run.
 */
function MailBody({ html }: { readonly html: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const { body } = new DOMParser().parseFromString(html.replaceAll(' style="', ' data-style="'), 'text/html');
    const sheet = document.createElement('div');
    sheet.dataset.style = body.dataset.style ?? '';
    sheet.append(...body.childNodes);
    for (const styled of [sheet, ...sheet.querySelectorAll<HTMLElement>('[data-style]')])
      styled.style.cssText = styled.dataset.style ?? '';
    for (const link of sheet.querySelectorAll('a')) link.target = '_blank';
    root.replaceChildren(sheet);
  }, [html]);
  return (
    // Mail is read on white, whatever the theme.
    <section
      ref={host}
      aria-label={t.reportMails.preview}
      className="overflow-x-auto rounded border border-line bg-white p-4"
    />
  );
}
