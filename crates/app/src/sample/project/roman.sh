# Prints a number from 1 to 3999 in Roman numerals.
roman() {
  local rest=$1 out=
  local values=(1000 900 500 400 100 90 50 40 10 9 5 1)
  local digits=(M CM D CD C XC L XL X IX V I)
  local i
  for i in "${!values[@]}"; do
    while ((rest >= values[i])); do
      out+=${digits[i]}
      ((rest -= values[i]))
    done
  done
  echo "$out"
}
