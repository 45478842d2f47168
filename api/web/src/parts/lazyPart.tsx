import { type ComponentType, createElement, type FunctionComponent, use, useReducer } from "react";
import { MissingPart } from "./MissingPart";

type AnyProps = Record<string, unknown>;
type Loader = () => Promise<ComponentType<AnyProps>>;

class Part {
  component: ComponentType<AnyProps> | undefined;
  isTried = false;
  /** A whole screen, not a piece of one. */
  readonly isScreen: boolean;
  private readonly loader: Loader;
  private first: Promise<void> | undefined;

  constructor(loader: Loader, isScreen: boolean) {
    this.loader = loader;
    this.isScreen = isScreen;
  }

  /** Never rejects: what failed is tried again by what is shown then. */
  preload = (): Promise<void> => {
    this.first ??= this.load()
      .catch(() => {})
      .finally(() => {
        this.isTried = true;
      });
    return this.first;
  };

  load = async (): Promise<void> => {
    this.component = await this.loader();
  };
}

function ShownPart({ part, props }: { part: Part; props: AnyProps }) {
  const [, show] = useReducer((times: number) => times + 1, 0);
  if (!part.isTried) use(part.preload());
  if (part.component) return createElement(part.component, props);
  return <MissingPart load={part.load} onLoaded={show} isScreen={part.isScreen} />;
}

/**
 * A component that is loaded when it is first shown. Unlike `lazy` it gets over a server that is away or was updated: it
 * tries again and says so in its place, where an error would end the page.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): FunctionComponent<Props> {
  const part = new Part(load as unknown as Loader, false);
  return (props) => <ShownPart part={part} props={props as AnyProps} />;
}

/** The same for a screen: the router calls `preload` when somebody points at a link to it. */
export function lazyScreen<Module>(load: () => Promise<Module>, name: keyof Module) {
  // The types of screens depend on those of the router: only their names are looked at.
  const part = new Part(async () => (await load())[name] as ComponentType<AnyProps>, true);
  return Object.assign(() => <ShownPart part={part} props={{}} />, { preload: part.preload });
}
