# Checks roman.sh against numbers that are easy to get wrong.
source ./roman.sh
failed=0
check() {
  local got
  got=$(roman "$1")
  if [[ $got == "$2" ]]; then
    echo "ok   $1 is $2"
  else
    echo "FAIL $1 should be $2 and is $got"
    failed=1
  fi
}
check 3 III
check 4 IV
check 9 IX
check 14 XIV
check 1994 MCMXCIV
exit $failed
