import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { t } from '../messages/index.ts';
import { useReportScope } from '../report-scope.ts';

interface ConversionLinkProps {
  readonly conversionId: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Links to the touches that earned a conversion. */
export function ConversionLink({ conversionId, className = '', children }: ConversionLinkProps) {
  const { scope, linkSearch } = useReportScope();
  return (
    <Link
      to="/p/$profileId/conversions/$conversionId"
      params={{ profileId: scope.profileId, conversionId }}
      search={linkSearch}
      className={`text-accent hover:underline ${className}`}
      title={t.touches.whatLed}
    >
      {children}
    </Link>
  );
}
