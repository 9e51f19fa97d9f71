import { Button } from '@mantine/core';
import { type ComponentType, useEffect, useRef, useState } from 'react';
import { showUnloaded } from '../console/notices.tsx';
import { withTexts } from '../texts/texts.ts';

type Module<Props> = { readonly default: ComponentType<Props> };

/**
 * A button in whose place a component comes once somebody uses it: a menu or a form, whose scripts the page does not
 * wait for. The component shows the same button, which is then pressed.
 *
 * @param load loads the component
 * @param label the text of the button
 */
export function onDemand<Props extends object>(
  load: () => Promise<Module<Props>>,
  label: () => string,
): ComponentType<Props> {
  // Kept when the page has moved on, so that a second menu is there at once.
  let loaded: ComponentType<Props> | undefined;
  const prepare = async () => {
    loaded = (await withTexts(load())).default;
  };
  // Whoever points at the button or reaches it by the keyboard is about to use it.
  const foresee = () => void prepare().catch(() => undefined);
  return function OnDemand(props: Props) {
    const [state, setState] = useState<'unused' | 'loading' | 'used'>('unused');
    const use = () => {
      setState(loaded ? 'used' : 'loading');
      prepare().then(
        () => setState('used'),
        () => {
          // The button stays, and can be used again.
          setState('unused');
          showUnloaded(label());
        },
      );
    };
    const Loaded = loaded;
    if (state === 'used' && Loaded) return <Pressed component={Loaded} props={props} />;
    return (
      <Button
        variant="default"
        size="xs"
        aria-expanded={false}
        loading={state === 'loading'}
        onPointerEnter={foresee}
        onFocus={foresee}
        onClick={use}
      >
        {label()}
      </Button>
    );
  };
}

/** A component whose button is pressed once it is there: what it opens gives the focus back to what had it before. */
function Pressed<Props extends object>({
  component: Component,
  props,
}: {
  readonly component: ComponentType<Props>;
  readonly props: Props;
}) {
  const place = useRef<HTMLSpanElement>(null);
  const isPressed = useRef(false);
  useEffect(() => {
    if (isPressed.current) return;
    isPressed.current = true;
    const button = place.current?.querySelector('button');
    button?.focus({ preventScroll: true });
    button?.click();
  }, []);
  return (
    <span ref={place} style={{ display: 'contents' }}>
      <Component {...props} />
    </span>
  );
}
