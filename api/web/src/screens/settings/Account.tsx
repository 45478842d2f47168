import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { meQuery } from "@/api/queries";
import { useLogOut } from "@/shell/useLogOut";
import { actorWords } from "./auditWords";
import { Section } from "./Section";
import { scopeLabel } from "./scopes";

export function Account() {
  const { data } = useQuery(meQuery());
  const logOut = useLogOut();
  return (
    <Section
      id="account"
      title="Account"
      description={data && `Logged in as ${actorWords(data.actor)}, with the rights: ${scopeLabel(data.scope)}.`}
    >
      <Button
        variant="default"
        leftSection={<LogOut size={16} aria-hidden />}
        loading={logOut.isPending}
        onClick={() => logOut.mutate(undefined)}
      >
        Log out
      </Button>
    </Section>
  );
}
