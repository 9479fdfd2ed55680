# fixed/base and fixed/new: ten runs each of 10,000 samples, whatever the program needs: `read` of the new one needs half.
function noise() { seed = (seed * 16807) % 2147483647; return 1 + 0.06 * (seed / 2147483647 - 0.5) }
BEGIN {
    seed = 4
    count = split("read parse check format write hash sort wait", name, " ")
    split("3200 2000 1500 1000 900 700 400 300", mean, " ")
    for (side = 0; side < 2; side++)
        for (run = 1; run <= 10; run++) {
            file = "fixed/" (side ? "new" : "base") "/" (run - 1) ".folded"
            sum = 0
            for (i = 1; i <= count; i++)
                sum += value[i] = mean[i] * noise() * (side && i == 1 ? 0.5 : 1)
            left = 10000
            for (i = count; i > 1; i--) {
                samples = int(value[i] * 10000 / sum + 0.5)
                left -= samples
                print "main;" name[i] " " samples > file
            }
            print "main;" name[1] " " left > file
            close(file)
        }
}
