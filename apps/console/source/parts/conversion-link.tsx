import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePlace } from '../place.ts';
import { say } from '../words/index.ts';

interface ConversionLinkProps {
  readonly conversionId: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Leads to what earned a conversion. */
export function ConversionLink({ conversionId, className = '', children }: ConversionLinkProps) {
  const { place, kept } = usePlace();
  return (
    <Link
      to="/p/$profileId/conversions/$conversionId"
      params={{ profileId: place.profileId, conversionId }}
      search={kept}
      className={`text-accent hover:underline ${className}`}
      title={say.touches.whatLed}
    >
      {children}
    </Link>
  );
}
