# The share of a function, in percent of another one's total: awk -v of=NAME -v in_=NAME -f share.awk X.folded
{
    value = $NF
    stack = ";" substr($0, 1, length($0) - length(value) - 1) ";"
    if (index(stack, ";" in_ ";")) {
        all += value
        if (index(stack, ";" of ";"))
            part += value
    }
}
END { printf "%.2f\n", all ? 100 * part / all : 0 }
