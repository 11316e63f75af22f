import { useQuery } from '@tanstack/react-query';
import { pictureQuery } from '../ads/queries.ts';
import { usePlace } from '../place.ts';
import { say } from '../words/index.ts';

interface AdPictureProps {
  readonly adId: string;
  readonly name: string;
  readonly isSmall?: boolean;
  /** Known to be without one: the API need not be asked. */
  readonly isWithout?: boolean;
}

/** What people see of the ad. An ad of words has no picture, and its place stays empty, so that names stand below each other. */
export function AdPicture({ adId, name, isSmall, isWithout = false }: AdPictureProps) {
  const { profileId } = usePlace().place;
  const { data: address } = useQuery({ ...pictureQuery(profileId, adId), enabled: !isWithout });
  const size = isSmall ? 'size-8' : 'size-16';
  if (address)
    return <img src={address} alt={say.ads.picture(name)} className={`${size} shrink-0 rounded object-cover`} />;
  return (
    <span aria-hidden="true" className={`${size} grid shrink-0 place-items-center rounded bg-tint text-soft`}>
      {(isWithout || address === null) && '¶'}
    </span>
  );
}
