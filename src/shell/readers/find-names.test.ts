import { rows } from "../commands/rows.ts";

const CHANGES = "write **; list . below";
const ASKS = "write **; unknown; list . below";

rows("find changes files that are chosen by an ordinary name, or asks", [
  ["find . -name '*.ts' -exec touch {} +", CHANGES],
  ["find . -type f -name '*.py' -not -path '*/venv/*' -exec touch {} \\;", CHANGES],
  ["find . -path ./node_modules -prune -o -name '*.ts' -exec touch {} +", CHANGES],
  ["find . \\( -name '*.ts' -o -name '*.tsx' \\) -exec touch {} +", CHANGES],
  ["find . \\( -name '*.ts' -o -type f \\) -exec touch {} +", ASKS],
  ["find . \\( -name '*.ts' -name 'a*' -o -type f \\) -exec touch {} +", ASKS],
  ["find . ! \\( -name '*.ts' \\) -exec touch {} +", ASKS],
  ["find . \\( \\( -name '*.ts' \\) -o -type f \\) -exec touch {} +", ASKS],
  ["find . ! -name '*.ts' -exec touch {} +", ASKS],
  ["find . -name '*.ts' -o -exec touch {} +", ASKS],
  ["find . -type f -exec touch {} +", ASKS],
  ["find . -name '*' -exec touch {} +", ASKS],
  ["find . -name config -exec touch {} +", ASKS],
  ["find . -name '.env.ts' -exec touch {} +", ASKS],
  ["find . -name '*.pem' -exec touch {} +", ASKS],
  ["find . -type f -exec grep -l x {} +", "read **; list . below"],
]);
