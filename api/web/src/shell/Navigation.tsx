import { Group } from "@mantine/core";
import { NavigationLink } from "@/components/links";
import classes from "./Navigation.module.css";
import { pages } from "./pages";
import { type NavCount, useNavCounts } from "./useNavCounts";

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const counts = useNavCounts();
  return (
    <>
      {pages.map(({ to, label, icon: Icon }) => (
        <NavigationLink
          key={to}
          to={to}
          activeOptions={{ exact: to === "/", includeSearch: false }}
          activeProps={{ active: true }}
          onClick={onNavigate}
          label={label}
          leftSection={<Icon size={18} strokeWidth={1.7} aria-hidden />}
          rightSection={<Counts counts={counts[to] ?? []} />}
          className={classes.link}
        />
      ))}
    </>
  );
}

function Counts({ counts }: { counts: readonly NavCount[] }) {
  return (
    <Group gap={4} wrap="nowrap">
      {counts.map(({ value, tone, text }) => (
        <span key={text} title={text} className={classes.count} data-tone={tone}>
          <span aria-hidden>{value > 999 ? "999+" : value}</span>
          <span className="visually-hidden">, {text}</span>
        </span>
      ))}
    </Group>
  );
}
