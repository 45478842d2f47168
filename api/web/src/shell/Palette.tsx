import "@mantine/spotlight/styles.css";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Film, Search } from "lucide-react";
import { useEffect, useState } from "react";
import { videoSearchQuery } from "@/api/queries";
import { videoStatusWords } from "@/format/words";
import { shellTexts } from "@/texts/shell";
import { pages } from "./pages";

const texts = shellTexts.palette;

const [paletteStore, palette] = createSpotlight();

/** mod+K: pages and videos by name. Opens each time `openings` grows. */
export function Palette({ openings }: { openings: number }) {
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const wanted = query.trim();
  const [asked] = useDebouncedValue(wanted, 200);
  const videos = useQuery(videoSearchQuery(asked));
  const found = pages.filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()));
  const titles = wanted === "" ? [] : (videos.data?.items ?? []);

  useEffect(() => {
    if (openings > 0) palette.open();
  }, [openings]);

  useEffect(() => {
    if (titles.length > 0) selectFirstIfNone();
  }, [titles.length]);

  return (
    <Spotlight.Root
      store={paletteStore}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      attributes={{ content: { "aria-label": texts.placeholder } }}
      centered={false}
      yOffset="12vh"
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search
        placeholder={texts.placeholder}
        aria-label={texts.placeholder}
        leftSection={<Search size={18} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {found.length > 0 && (
          <Spotlight.ActionsGroup label={texts.pages}>
            {found.map(({ to, label, icon: Icon }) => (
              <Spotlight.Action
                key={to}
                label={label}
                leftSection={<Icon size={18} aria-hidden />}
                onClick={() => navigate({ to })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {titles.length > 0 && (
          <Spotlight.ActionsGroup label={texts.videos}>
            {titles.map(({ id, title, status }) => (
              <Spotlight.Action
                key={id}
                label={title}
                description={videoStatusWords[status].label}
                leftSection={<Film size={18} aria-hidden />}
                onClick={() => navigate({ to: "/library/$id", params: { id } })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {found.length + titles.length === 0 && (
          <Spotlight.Empty>
            {videos.isFetching || asked !== wanted ? texts.searching : texts.nothingFound}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** Titles come later than the key that asked for them; without a selection Enter would do nothing. */
function selectFirstIfNone(): void {
  const { listId } = paletteStore.getState();
  const list = listId ? document.getElementById(listId) : null;
  if (!list || list.querySelector("[data-selected]")) return;
  list.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  paletteStore.updateState((state) => ({ ...state, selected: 0 }));
}
