(* Half a second in leaf, below functions that must all be in its stacks. *)
let[@inline never] leaf n =
  let sum = ref 0 in
  for i = 1 to n do
    sum := !sum + (i mod 7)
  done;
  !sum

let[@inline never] middle n =
  let sum = ref 0 in
  for _ = 1 to 10 do
    sum := !sum + leaf n
  done;
  !sum + 1

let[@inline never] outer n = middle n + 1

let () =
  let sum = ref 0 in
  while Sys.time () < 0.5 do
    sum := !sum + outer 20000
  done;
  Printf.printf "%d\n" !sum
