(* Three tenths of a second in leaf, below functions that must all be in its stacks, and two in rest;
   says how long it was in each. *)
let[@inline never] leaf n =
  let sum = ref 0 in
  for i = 1 to n do
    sum := !sum + (i mod 7)
  done;
  !sum

let[@inline never] rest n =
  let sum = ref 0 in
  for i = 1 to n do
    sum := !sum + (i mod 5)
  done;
  !sum

let[@inline never] middle n =
  let sum = ref 0 in
  for _ = 1 to 10 do
    sum := !sum + leaf n
  done;
  !sum + 1

let[@inline never] outer n = middle n + 1

let[@inline never] other n =
  let sum = ref 0 in
  for _ = 1 to 10 do
    sum := !sum + rest n
  done;
  !sum + 1

let spend f seconds =
  let from = Sys.time () in
  let sum = ref 0 in
  while Sys.time () -. from < seconds do
    sum := !sum + f 20000
  done;
  ignore (Sys.opaque_identity !sum);
  Sys.time () -. from

let () =
  let in_leaf = spend outer 0.3 in
  let in_rest = spend other 0.2 in
  Printf.printf "%f %f\n" in_leaf in_rest
