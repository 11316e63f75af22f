import { t } from '../messages/index.ts';
import { Page } from '../parts/page.tsx';
import { Checklist } from './checklist.tsx';

export function SetUp() {
  return (
    <Page title={t.pages.setUp} about={t.setUp.about}>
      <Checklist />
    </Page>
  );
}
