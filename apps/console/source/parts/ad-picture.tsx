import { useQuery } from '@tanstack/react-query';
import { pictureQuery } from '../ads/queries.ts';
import { t } from '../messages/index.ts';
import { useReportScope } from '../report-scope.ts';

interface AdPictureProps {
  readonly adId: string;
  readonly name: string;
  readonly isSmall?: boolean;
  /** Known to have no picture, so no request is sent. */
  readonly isWithout?: boolean;
}

/** The picture of the ad. A text ad has none and leaves its space empty, so that names stay aligned. */
export function AdPicture({ adId, name, isSmall, isWithout = false }: AdPictureProps) {
  const { profileId } = useReportScope().scope;
  const { data: address } = useQuery({ ...pictureQuery(profileId, adId), enabled: !isWithout });
  const size = isSmall ? 'size-8' : 'size-16';
  if (address)
    return <img src={address} alt={t.ads.picture(name)} className={`${size} shrink-0 rounded object-cover`} />;
  return (
    <span aria-hidden="true" className={`${size} grid shrink-0 place-items-center rounded bg-tint text-soft`}>
      {(isWithout || address === null) && '¶'}
    </span>
  );
}
