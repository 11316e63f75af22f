import icon from '../icon.svg';

export function Brand() {
  return (
    <span className="inline-flex items-center gap-2 font-semibold text-title">
      <img src={icon} alt="" width="24" height="24" className="shrink-0" />
      <span className="max-sm:sr-only">Tributary</span>
    </span>
  );
}
