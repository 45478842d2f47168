import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { meQuery } from "@/api/queries";
import { useLogOut } from "@/shell/useLogOut";
import { settingsTexts } from "@/texts/settings";
import { actorWords } from "./auditWords";
import { Section } from "./Section";
import { scopeLabel } from "./scopes";

const texts = settingsTexts.account;

export function Account() {
  const { data } = useQuery(meQuery());
  const logOut = useLogOut();
  return (
    <Section
      id="account"
      title={texts.title}
      description={data && texts.loggedIn(actorWords(data.actor), scopeLabel(data.scope))}
    >
      <Button
        variant="default"
        leftSection={<LogOut size={16} aria-hidden />}
        loading={logOut.isPending}
        onClick={() => logOut.mutate(undefined)}
      >
        {texts.logOut}
      </Button>
    </Section>
  );
}
