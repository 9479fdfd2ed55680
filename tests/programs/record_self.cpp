/* record_self.cpp - a C++ program that records itself by the public header and the shared library:
 * its own work must be found, and the thread that records must not. */
#include <cstdio>
#include <cstring>

#include "flamel/record.h"

static volatile unsigned long sum;

extern "C" __attribute__((noinline)) void work_of_mine()
{
    for (unsigned i = 0; i < 1000000; i++)
        sum += i;
}

static bool has_function(const flm_profile *profile, const char *name)
{
    for (uint32_t i = 0; i < flm_profile_frame_count(profile); i++) {
        flm_frame frame = {i};
        flm_string function = {flm_profile_frame(profile, frame)->function};
        flm_name text = flm_profile_string(profile, function);
        if (text.size == std::strlen(name) && std::memcmp(text.at, name, text.size) == 0)
            return true;
    }
    return false;
}

static bool keep_on(void *context)
{
    ++*static_cast<int *>(context);
    return true;
}

int main()
{
    flm_error why = {};
    flm_record_options options = {};
    int ticks = 0;
    options.size = sizeof options;
    options.self = true;
    options.tick = keep_on;
    options.context = &ticks;
    flm_recording *recording = flm_recording_new(&options, &why);
    if (!recording) {
        std::printf("not recorded: %s\n", why.text);
        return 77;
    }
    bool good = flm_recording_start(recording, &why);
    while (good && ticks < 5)
        work_of_mine();
    flm_profile *first = good ? flm_recording_take(recording, &why) : nullptr;
    for (int until = ticks + 5; good && ticks < until;)
        work_of_mine();
    good = good && flm_recording_stop(recording, &why);
    flm_profile *rest = good ? flm_recording_take(recording, &why) : nullptr;
    good = first && rest;
    if (!good)
        std::printf("%s\n", why.text);
    if (good && (!has_function(first, "work_of_mine") || !has_function(rest, "work_of_mine"))) {
        std::printf("its own work is missing\n");
        good = false;
    }
    if (good && (has_function(first, "flm_recorder_run") || has_function(rest, "flm_recorder_run"))) {
        std::printf("the recording recorded itself\n");
        good = false;
    }
    flm_profile_free(first);
    flm_profile_free(rest);
    flm_recording_free(recording);
    return good ? 0 : 1;
}
